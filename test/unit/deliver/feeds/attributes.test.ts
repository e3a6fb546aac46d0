import { describe, expect, it } from 'vitest';
import { attributeFinder, attributeValues } from '../../../../src/deliver/feeds/attributes.ts';

const property = (name: string, text = '', propertyClass = 'O') => ({
  ...{ class: propertyClass, name, text },
});

describe('a property is', () => {
  const attributeOf = attributeFinder();

  it.each([
    ['FARBE', '', 'color'],
    ['DEKOR', 'Finish', 'color'],
    ['P1', 'Gestellfarbe', 'color'],
    ['P1', 'Frame color', 'color'],
    ['P1', 'Farbe der Front', 'color'],
    ['P1', 'Farbe Platte', 'color'],
    ['P1', 'Colour of frame', 'color'],
    ['GESTELL', 'Frame', 'color'],
    ['OBERFLÄCHE', '', 'color'],
    ['STOFF', 'Upholstery', 'material'],
    ['BEZUG', 'Cover', 'material'],
    ['P1', 'Bezugsstoff', 'material'],
    ['P1', 'Holzart', 'material'],
    ['HÖHE', 'Height in mm', 'size'],
    ['HOEHE', '', 'size'],
    ['P1', 'Width (mm)', 'size'],
    ['P1', 'Frame height', 'size'],
    ['P1', 'Plattenbreite in cm', 'size'],
  ])('by its name %s and its text "%s" the %s', (name, text, attribute) => {
    expect(attributeOf(property(name, text))).toBe(attribute);
  });

  it.each([
    ['P1', 'Front lock'],
    ['P1', 'Fabric group'],
    ['P1', 'Metal drawer'],
    ['STOFFGRUPPE', ''],
    ['BLACK', ''],
    ['KABEL', 'Cable management'],
    ['WATT', 'Bulb in W'],
    ['', ''],
  ])('by its name %s and its text "%s" none of them', (name, text) => {
    expect(attributeOf(property(name, text))).toBeUndefined();
  });
});

describe('names of the pipeline file', () => {
  it('replace the table for their attribute, and count before it for the others', () => {
    const attributeOf = attributeFinder({ size: ['dekor', 'MASS.B'], color: [] });
    expect(attributeOf(property('DEKOR'))).toBe('size');
    expect(attributeOf(property('B', '', 'MASS'))).toBe('size');
    expect(attributeOf(property('B', '', 'OTHER'))).toBeUndefined();
    expect(attributeOf(property('BREITE'))).toBeUndefined();
    expect(attributeOf(property('FARBE'))).toBeUndefined();
    expect(attributeOf(property('STOFF'))).toBe('material');
  });
});

describe('the values of attributes', () => {
  it('are what a person reads, in the order of the properties, a number of a size with its unit', () => {
    const properties = [
      { ...property('BREITE', 'Width in mm'), value: '1600', valueText: '1600' },
      { ...property('DEKOR', 'Finish'), value: 'NB', valueText: 'Walnut  veneer\n' },
      { ...property('FARBE', 'Color'), value: 'RAL 9010', valueText: '' },
      { ...property('HÖHE', 'Height in mm'), value: 'STD', valueText: 'standard' },
      { ...property('TIEFE', 'Depth'), value: '80', valueText: '80' },
      { ...property('STOFF', 'Fabric'), value: '', valueText: ' ' },
    ];
    expect(attributeValues(properties, attributeFinder())).toEqual({
      color: ['Walnut veneer', 'RAL 9010'],
      material: [],
      size: ['1600 mm', 'standard', '80'],
    });
  });
});
