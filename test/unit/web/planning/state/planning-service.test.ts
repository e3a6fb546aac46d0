/** The client of the planning page over HTTP: tokens that die and are replaced, and pictures. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createSampleRange } from '../../../../../src/emulator/sample/sample-range.ts';
import { json, raw } from '../../../../helpers/fault-server.ts';
import { plannedService } from '../../../../helpers/planned-service.ts';

const DESK = { manufacturer: 'FJEL', program: 'LINEA', basearticlenumber: 'LN-M' };
const UNAUTHORIZED = raw('{"error":"the token is unknown"}', {}, 401);

describe('the client of the planning page', () => {
  const emulated = plannedService();
  function open() {
    const accepted: boolean[] = [];
    const service = emulated.open({ onAccepted: () => accepted.push(true) });
    return { service, accepted, article: () => service.call('getArticle', DESK) };
  }

  /** The next request for an article waits for the answer that is given to what this returns. */
  async function held(ask: () => Promise<unknown>) {
    const arrived = new Promise<ServerResponse>((resolve) =>
      emulated.proxy.break(/\/articles\?/, resolve),
    );
    const answer = ask();
    const response = await arrived;
    emulated.proxy.mend();
    return { answer, response };
  }

  test('sends a call again whose token was replaced while it was refused', async () => {
    const { service, article } = open();
    const { answer, response } = await held(article);
    service.setToken(emulated.emulator.issueToken());
    UNAUTHORIZED(response, response.req);
    expect(await answer).toMatchObject({ answer: { basearticlenumber: 'LN-M' } });
  });

  test('tells when a token is accepted first, and after a refusal by what was asked later', async () => {
    const { service, accepted, article } = open();
    await article();
    await article();
    expect(accepted.splice(0)).toEqual([true]);
    const earlier = await held(article);
    emulated.proxy.break(/\/articles\?/, UNAUTHORIZED);
    await expect(article()).rejects.toMatchObject({ code: 'TOKEN_DIED' });
    emulated.proxy.mend();
    json(createSampleRange().article(DESK))(earlier.response, earlier.response.req);
    await earlier.answer;
    expect(accepted).toEqual([]);
    await article();
    await article();
    expect(accepted).toEqual([true]);
    service.setToken(emulated.emulator.issueToken());
    await article();
    expect(accepted).toEqual([true, true]);
  });

  test('asks again for a picture that could not be loaded, but not for one that is not there', async () => {
    const { service, article } = open();
    const { answer } = await article();
    const values = answer.ocd!.propclasses.flatMap(({ properties }) =>
      properties.flatMap(({ propertyvalues }) => propertyvalues),
    );
    const reference = values.find(({ previewimage }) => previewimage !== '')!.previewimage;
    const picture = () => service.picture('preview', reference);
    for (const broken of [raw('', {}, 500), UNAUTHORIZED]) {
      emulated.proxy.break(/\/preview\//, broken);
      expect(await picture()).toBe(undefined);
      emulated.proxy.mend();
    }
    const address = await picture();
    expect(address).toMatch(/^blob:/);
    const asked = emulated.proxy.seen.length;
    expect(await picture()).toBe(address);
    expect(emulated.proxy.seen.length).toBe(asked);
    const missing = () => service.picture('preview', `${reference}-none`);
    expect(await missing()).toBe(undefined);
    const before = emulated.proxy.seen.length;
    expect(await missing()).toBe(undefined);
    expect(emulated.proxy.seen.length).toBe(before);
    URL.revokeObjectURL(address!);
  });
});
