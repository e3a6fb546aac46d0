import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../../../src/emulator/emulator.ts';
import { createSampleRange } from '../../../../../src/emulator/sample/sample-range.ts';
import { call, logIn } from '../../../../helpers/emulated-session.ts';
import { allArticles, allRequests, type Wire } from '../../../../helpers/sample-range.ts';

const range = createSampleRange();
const path = (...segments: string[]): string => segments.map(encodeURIComponent).join('/');

let emulator: Emulator;
let token: string;
beforeAll(async () => {
  emulator = await startEmulator({ range });
  token = await logIn(emulator);
});
afterAll(() => emulator.close());

/** GETs below `{base_url}/api`: status, content type, width of the picture. */
async function get(where: string): Promise<unknown[]> {
  const query = new URLSearchParams({ token });
  const response = await fetch(`${emulator.baseUrl}/api/${where}?${query}`);
  const type = response.headers.get('content-type');
  if (response.status !== 200) return [response.status];
  const { width, format } = await sharp(await response.arrayBuffer()).metadata();
  return [response.status, type, `${format} ${width}`];
}

const LOGO = [200, 'image/png', 'png 96'];
const CATALOGUE_IMAGE = [200, 'image/jpeg', 'jpeg 320'];

describe('resources', () => {
  test.each(['ressource', 'ressources'])(
    'at manufacturer and series level: %s',
    async (spelled) => {
      expect(await get(`xcf.dll/xcf/${spelled}/FJEL/any/LOGO.PNG`)).toEqual(LOGO);
      expect(await get(`xcf.dll/xcf/${spelled}/FJEL/de/LOGO.PNG`)).toEqual(LOGO);
      const ofSeries = path('BRNK', 'KONVA', 'any', 'KV-HOCKER HÖHE 77.JPG');
      expect(await get(`xcf.dll/xcf/${spelled}/${ofSeries}`)).toEqual(CATALOGUE_IMAGE);
    },
  );

  test.each([
    path('FJEL', 'any', 'NONE.PNG'),
    path('FJEL', 'LINEA', 'LOGO.PNG'),
    path('NONE', 'any', 'LOGO.PNG'),
    path('FJEL'),
    path('..', '..', 'any', 'LOGO.PNG'),
    'FJEL//any/LOGO.PNG',
    '__proto__/any/LOGO.PNG',
  ])('%s is not there', async (where) => {
    expect(await get(`xcf.dll/xcf/ressource/${where}`)).toEqual([404]);
  });

  test('are there for every node of the catalogue, each article with a name of its own', async () => {
    const folders = range.nodes('')!.flatMap((top) => [top, ...range.nodes(String(top.nodeid))!]);
    const names = allArticles(range).map((node) => node.ressources[0].rescontent);
    expect(new Set(names).size).toBe(names.length);
    const some = [...folders, ...allArticles(range).filter((_, i) => i % 12 === 0)];
    for (const { ressources } of some as Wire[]) {
      const [{ restype, rescontent }] = ressources;
      expect([restype, rescontent.split('/').slice(0, 2).join('/')]).toEqual([
        'IT',
        'xcf/ressource',
      ]);
      expect(await range.resource!(rescontent.split('/').slice(2)), rescontent).toBeDefined();
    }
  });
});

describe('previews of property values', () => {
  test.each(['ocd.dll/ocd/preview', 'ofml.dll/ofml/preview'])('are at %s', async (base) => {
    const preview = (name: string) => get(`${base}/${path('AULI', 'REGALO', name)}`);
    expect(await preview('EICHE NATUR.JPG')).toEqual([200, 'image/jpeg', 'jpeg 64']);
    expect(await preview('L_EICHE NATUR.JPG')).toEqual([200, 'image/jpeg', 'jpeg 256']);
    expect(await preview('NONE.JPG')).toEqual([404]);
  });

  test('are there for every value that names one', async () => {
    const values = allRequests(range).flatMap(({ article }) =>
      article.ocd.propclasses.flatMap(({ properties }: Wire) =>
        properties.flatMap((property: Wire) => property.propertyvalues),
      ),
    );
    const images = new Set<string>(
      values.flatMap(({ previewimage, previewimagelarge }: Wire) =>
        previewimage === '' ? [] : [previewimage, previewimagelarge],
      ),
    );
    expect(images.size).toBeGreaterThan(20);
    for (const image of images) {
      const [ocd, preview, ...rest] = image.split('/');
      expect([ocd, preview, rest.length]).toEqual(['ocd', 'preview', 3]);
      const [manufacturer, program, name] = rest as [string, string, string];
      expect(await range.preview!(manufacturer, program, name), image).toBeDefined();
    }
  });
});

describe('articlesimage.jpg, deprecated', () => {
  const lamp = { manufacturer: 'AULI', program: 'LUMO', basearticlenumber: 'LM-TISCH 45' };
  const pictureOf = async (key: Record<string, string>): Promise<Response> => {
    const answer = await call(emulator, 'ofml/articles', { token, ...key });
    const { finalarticlenumber, reinitstring } = ((await answer.json()) as Wire).ocd;
    const numbers = { finalarticlenumber, reinitstring };
    return call(emulator, 'odb/articlesimage.jpg', { token, ...key, ...numbers });
  };

  test('is a picture of an article', async () => {
    const response = await pictureOf(lamp);
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    const image = sharp(await response.arrayBuffer());
    expect(await image.metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 480 });
    // Something dark stands before a light ground.
    const { channels } = await image.stats();
    expect([channels[0]!.max > 240, channels[0]!.min < 120]).toEqual([true, true]);
  });

  test('is no composed picture of a meta planning, and none of what is not there', async () => {
    const planning = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-PLATZ 1' };
    expect((await pictureOf(planning)).status).toBe(404);
    const unknown = { token, ...lamp, finalarticlenumber: 'X' };
    expect((await call(emulator, 'odb/articlesimage.jpg', unknown)).status).toBe(404);
  });
});

test('a server may lack one of two addresses', async () => {
  const other = await startEmulator({ range, without: ['ocd.dll/ocd/preview', 'xcf/ressources'] });
  const query = new URLSearchParams({ token: await logIn(other) });
  const status = async (where: string): Promise<number> =>
    (await fetch(`${other.baseUrl}/api/${where}?${query}`)).status;
  expect([
    await status('ocd.dll/ocd/preview/FJEL/LINEA/EICHE.JPG'),
    await status('ofml.dll/ofml/preview/FJEL/LINEA/EICHE.JPG'),
    await status('xcf.dll/xcf/ressources/FJEL/any/LOGO.PNG'),
    await status('xcf.dll/xcf/ressource/FJEL/any/LOGO.PNG'),
  ]).toEqual([404, 200, 404, 200]);
  await other.close();
});
