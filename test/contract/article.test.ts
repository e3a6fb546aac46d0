import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { ARTICLE, clientOfEmulator, KEY, startRecording } from '../helpers/emulated-client.ts';
import { errorOf } from '../helpers/faulty-client.ts';

let emulator: Emulator;
let client: ServiceClient;
beforeAll(async () => {
  emulator = await startRecording();
  client = clientOfEmulator(emulator, { profile: 'p', lang: 'de', langalt: 'en', currency: 'EUR' });
});
afterAll(async () => {
  await client.close();
  await emulator.close();
});

describe('GET articles', () => {
  it('loads an article by its base number, its ids in upper case', async () => {
    const { article } = await client.getArticle({ ...ARTICLE, manufacturer: 'acme' });
    expect(article.basearticlenumber).toBe(ARTICLE.basearticlenumber);
    expect(article.ocd).toBeDefined();
  });

  it('loads a configuration by its reinit string, byte for byte', async () => {
    const { reinitstring, finalarticlenumber, metareinitstring } = KEY;
    const { article } = await client.getArticle({ ...ARTICLE, reinitstring });
    expect(article.ocd).toMatchObject({ finalarticlenumber, reinitstring });
    expect(article.reinit).toBe(metareinitstring);
  });

  it('can request properties that are not visible', async () => {
    const { article } = await client.getArticle({ ...ARTICLE, getallproperties: true });
    expect(article.basearticlenumber).toBe(ARTICLE.basearticlenumber);
  });

  it('reports an article that does not exist', async () => {
    const error = await errorOf(client.getArticle({ ...ARTICLE, basearticlenumber: 'D/9' }));
    expect(error).toMatchObject({
      code: 'ARTICLE_NOT_FOUND',
      article: 'ACME/BÜRO+1/D/9',
      message: 'getArticle ACME/BÜRO+1/D/9: the service has no such article',
    });
  });

  it('reports a reinit string that is too long for the service, and never shortens it', async () => {
    const query = { ...ARTICLE, reinitstring: `${'x'.repeat(6000)}::` };
    expect(await errorOf(client.getArticle(query))).toMatchObject({ code: 'QUERY_TOO_LONG' });
  });
});
