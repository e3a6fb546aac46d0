import { describe, expect, it } from 'vitest';
import { parsePreview, parseResource } from '../../../src/service/wire-resource.ts';

const BASE = 'https://service.example/base/';

describe('parseResource', () => {
  it.each([
    ['xcf/ressource/ACME/DESK/any/A+B 100%.jpg', 'ressource', 'ACME/DESK/any/A+B 100%.jpg'],
    ['/xcf/ressources/ACME/de/logo.png', 'ressources', 'ACME/de/logo.png'],
    ['ressource/ACME/logo.png', 'ressource', 'ACME/logo.png'],
    ['XCF/Ressource/ACME/logo.png', 'ressource', 'ACME/logo.png'],
  ])('reads %j as it is, without its xcf/', (rescontent, spelling, path) => {
    expect(parseResource(rescontent)).toEqual({ spelling, path });
  });

  it.each([
    '',
    'xcf/ressource/',
    'xcf/getnodes',
    'https://other.example/xcf/ressource/A/b.jpg',
    '//other.example/xcf/ressource/A/b.jpg',
    'xcf/ressource/../../odb/logout',
    'xcf/ressource/ACME//logo.png',
    'xcf/ressource/ACME/./logo.png',
    'xcf/ressource/ACME/..\\logo.png',
  ])('refuses %j', (rescontent) => {
    expect(() => parseResource(rescontent)).toThrow(
      expect.objectContaining({ code: 'RESOURCE_REFUSED' }),
    );
  });
});

describe('parsePreview', () => {
  const path = { manufacturer: 'ACME', program: 'DESK', name: 'A+B 100%.jpg' };

  it.each([
    'ocd/preview/ACME/DESK/A+B 100%.jpg',
    '/ocd/preview/ACME/DESK/A+B 100%.jpg',
    'api/ocd.dll/preview/ACME/DESK/A+B 100%.jpg',
    `${BASE}api/ocd.dll/preview/ACME/DESK/A%2BB%20100%25.jpg?token=old`,
  ])('reads %j', (previewimage) => {
    expect(parsePreview(previewimage, BASE)).toEqual(path);
  });

  it.each([
    '',
    'ocd/preview/ACME/OAK.jpg',
    'ocd/preview/ACME/DESK/MORE/OAK.jpg',
    'ocd/preview/ACME/../OAK.jpg',
    'ocd/preview/ACME/DESK/..',
    'ocd/preview/ACME/DESK/a\\b.jpg',
    'a/b/c/d/preview/ACME/DESK/OAK.jpg',
    'https://other.example/ocd/preview/ACME/DESK/OAK.jpg',
    'https://service.example/elsewhere/ocd/preview/ACME/DESK/OAK.jpg',
    '//other.example/preview/ACME/DESK/OAK.jpg',
    'file:/preview/ACME/DESK/OAK.jpg',
    `${BASE}ocd/preview/ACME/DESK/%2E%2E`,
    `${BASE}ocd/preview/ACME/DESK/%E0%A4%A`,
  ])('refuses %j', (previewimage) => {
    expect(() => parsePreview(previewimage, BASE)).toThrow(
      expect.objectContaining({ code: 'IMAGE_REFUSED' }),
    );
  });
});
