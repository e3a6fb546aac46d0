import { describe, expect, it } from 'vitest';
import { decodeBreadcrumbs, decodeNodes } from '../../../src/service/wire-catalogue.ts';

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe('decodeNodes', () => {
  it('reads a node, and the resources that are spelled with double s', () => {
    const ressources = [{ restype: 'IT', rescontent: 'xcf/ressource/ACME/DESK/any/A.JPG' }];
    const wire = { nodeid: 'ACME;:D1@2', nodetype: 'A', basearticlenumber: 'D/1', ressources };
    expect(decodeNodes(bytes([wire]))).toEqual([
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

  it('takes a kind of node that it does not know for an info node', () => {
    expect(decodeNodes(bytes([{ nodeid: 'x', nodetype: 'Z' }]))[0]?.nodetype).toBe('I');
  });

  it('reads an empty folder', () => {
    expect(decodeNodes(bytes([]))).toEqual([]);
  });

  it.each([
    [{}, 'nodes: expected an array, received an object'],
    [[5], 'nodes[0]: expected an object, received number "5"'],
    [[{ nodetype: 'F' }], 'nodes[0].nodeid: expected the id of a folder, received nothing'],
  ])('refuses %j and says where', (wire, message) => {
    expect(() => decodeNodes(bytes(wire))).toThrow(
      expect.objectContaining({ code: 'RESPONSE_INVALID', message }),
    );
  });
});

describe('decodeBreadcrumbs', () => {
  it('reads the path from the root', () => {
    const path = [
      { nodeid: 'a', text: 'A' },
      { nodeid: 'b', text: 'B', more: 1 },
    ];
    expect(decodeBreadcrumbs(bytes(path))).toEqual([
      { nodeid: 'a', text: 'A' },
      { nodeid: 'b', text: 'B' },
    ]);
  });
});
