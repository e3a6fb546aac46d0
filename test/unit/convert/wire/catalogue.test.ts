import { describe, expect, it } from 'vitest';
import { decodeBreadcrumbs, decodeNodes } from '../../../../src/convert/wire/catalogue.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { driftOf } from '../../../helpers/drift.ts';
import { body, utf8 } from '../../../helpers/graphics.ts';

describe('decodeNodes', () => {
  it('reads a node, and the resources that are spelled with double s', () => {
    const ressources = [{ restype: 'IT', rescontent: 'xcf/ressource/ACME/DESK/any/A.JPG' }];
    const wire = { nodeid: 'ACME;:D1@2', nodetype: 'A', basearticlenumber: 'D/1', ressources };
    expect(decodeNodes(body([wire]))).toEqual([
      {
        nodeid: 'ACME;:D1@2',
        text: '',
        nodetype: 'A',
        manufacturer: '',
        manufacturername: '',
        program: '',
        basearticlenumber: 'D/1',
        variantcode: '',
        convertdate: '',
        resources: ressources,
      },
    ]);
  });

  it('treats an unknown kind of node as an info node', () => {
    expect(decodeNodes(body([{ nodeid: 'x', nodetype: 'Z' }]))[0]?.nodetype).toBe('I');
  });

  it('reads a node whatever its texts and resources are, and each digit of its ids', () => {
    const wire =
      '[{"nodeid":9007199254740993,"nodetype":"a","basearticlenumber":4711.10,"text":{},"ressources":5}]';
    expect(decodeNodes(utf8(wire))[0]).toMatchObject({
      ...{ nodeid: '9007199254740993', basearticlenumber: '4711.10', text: '', resources: [] },
    });
  });

  it('reads a folder whose fields for articles are unreadable, and refuses such an article', () => {
    const wire = { nodeid: 'x', basearticlenumber: [], variantcode: {} };
    expect(decodeNodes(body([{ ...wire, nodetype: 'F' }]))).toMatchObject([
      { basearticlenumber: '', variantcode: '' },
    ]);
    const message = 'nodes[0].basearticlenumber: expected a text, received an array of 0';
    expect(() => decodeNodes(body([{ ...wire, nodetype: 'a' }]))).toThrow(message);
  });

  it('reads an empty folder', () => {
    expect(decodeNodes(body([]))).toEqual([]);
  });

  it.each([
    [{}, 'nodes: expected an array, received an object'],
    [[5], 'nodes[0]: expected an object, received number "5"'],
    [[null], 'nodes[0]: expected an object, received nothing'],
    [[{ nodeid: 'x' }], 'nodes: expected nodetype F, A or I, received a node without it'],
    [[{ nodeid: {} }], 'nodes[0].nodeid: expected a text, received an object'],
  ])('refuses %j and says where', (wire, message) => {
    expect(() => decodeNodes(body(wire))).toThrow(coded('RESPONSE_INVALID', message));
  });
});

describe('decodeBreadcrumbs', () => {
  it('reads the path from the root', () => {
    const path = [
      { nodeid: 'a', text: 'A' },
      { nodeid: 'b', text: 'B', more: 1 },
    ];
    expect(decodeBreadcrumbs(body(path))).toEqual([
      { nodeid: 'a', text: 'A' },
      { nodeid: 'b', text: 'B' },
    ]);
  });
});

const NODE = {
  nodeid: 'ACME;:D1@1',
  text: 'Desk',
  nodetype: 'A',
  manufacturer: 'ACME',
  manufacturername: 'Acme',
  program: 'DESK',
  basearticlenumber: 'D1',
  variantcode: 'D1-1600',
  ressources: [{ restype: 'IT', rescontent: 'xcf/ressource/ACME/DESK/any/a.jpg' }],
};

describe('drift of the catalogue', () => {
  it('is none where nodes and breadcrumbs are what the specification says', () => {
    expect(driftOf([NODE, { ...NODE, convertdate: '2024-05-14' }], decodeNodes)).toEqual([]);
    expect(driftOf([{ nodeid: 'a', text: 'A' }], decodeBreadcrumbs)).toEqual([]);
  });

  it('is reported field by field', () => {
    const wire = [
      { ...NODE, nodetype: 'X', text: 5 },
      { ...NODE, ressources: [{ restype: 'IT' }] },
    ];
    expect(driftOf(wire, decodeNodes)).toEqual([
      'nodes[].text: expected a text, found number "5"',
      'nodes[].nodetype: expected one of F A I, found string "X"',
      'nodes[].ressources[].rescontent: expected a text, found nothing',
    ]);
    expect(driftOf([{ nodeid: 'a' }], decodeBreadcrumbs)).toEqual([
      'breadcrumbs[].text: expected a text, found nothing',
    ]);
  });
});
