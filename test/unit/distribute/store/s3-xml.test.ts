import { expect, it } from 'vitest';
import { childText, readXml } from '../../../../src/distribute/store/s3-xml.ts';

it('reads elements and their text', () => {
  const list = readXml(
    '<?xml version="1.0" encoding="UTF-8"?>\n<List xmlns="http://s3/" xmlns:a=\'b\'><!-- a - comment -->\n <Item><Key>a&amp;b &#65;&#x1F642;&lt;&quot;</Key><Empty/></Item><s3:Item><Key></Key></s3:Item></List>\n',
  )!;
  expect(list.name).toBe('List');
  const items = list.children;
  expect(items.map(({ name }) => name)).toEqual(['Item', 'Item']);
  expect(items.map((item) => childText(item, 'Key'))).toEqual(['a&b A🙂<"', '']);
  expect(childText(items[0], 'Empty')).toBe('');
  expect(childText(items[0], 'None')).toBeUndefined();
});

it.each([
  '',
  'text',
  '<a>',
  '</a>',
  '<a></b>',
  '<a/><b/>',
  '<a/>text',
  '<a>&unknown;</a>',
  '<a>&#x110000;</a>',
  '<a>& </a>',
  '<a b=c></a>',
  '<a',
  '<!-- never ends',
  '<!DOCTYPE html><p>Welcome</p>',
  '<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>',
  '<a>'.repeat(100) + '</a>'.repeat(100),
])('refuses %j', (document) => {
  expect(readXml(document)).toBeUndefined();
});

it('refuses a large text in little time', () => {
  for (const piece of ['<', '<a ', '<!--', '&', '<a b="'])
    expect(readXml(piece.repeat(50_000))).toBeUndefined();
});
