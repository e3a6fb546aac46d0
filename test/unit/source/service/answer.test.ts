import { describe, expect, it } from 'vitest';
import {
  errorText,
  looksLikeDeadToken,
  readAnswer,
} from '../../../../src/source/service/answer.ts';
import { OPERATIONS, type Operation } from '../../../../src/source/service/operations.ts';
import { coded } from '../../../helpers/coded-error.ts';
import { utf8 } from '../../../helpers/graphics.ts';

const HTML = '<!DOCTYPE html><p>Please log in</p>';
const response = (status: number, body: string) => ({
  status,
  bytes: utf8(body),
  etag: '',
  lastModified: '',
  retryAfter: undefined,
  location: undefined,
});

describe('looksLikeDeadToken', () => {
  it.each([
    [true, 401, ''],
    [true, 403, HTML],
    [true, 200, `\ufeff \n${HTML}`],
    [true, 200, '{"error":"session expired"}'],
    [true, 500, '{"error":"session expired"}'],
    [true, 400, '{"error":"session expired"}'],
    [false, 200, '{"btg":[],"blocks":[],"mats":[]}'],
    [false, 200, '{"btg":['],
    [false, 404, '{"error":"no such article"}'],
    [false, 404, HTML],
    [false, 414, HTML],
    [false, 429, '{"error":"too many requests"}'],
    [false, 500, HTML],
    [false, 503, ''],
  ])('is %s for %i %j', (expected, status, body) => {
    expect(looksLikeDeadToken(OPERATIONS.getPartsList, response(status, body))).toBe(expected);
  });

  it('is never so for operations without a token in the query', () => {
    expect(looksLikeDeadToken(OPERATIONS.getPublicKey, response(401, ''))).toBe(false);
    expect(looksLikeDeadToken(OPERATIONS.logoutGraphics, response(401, ''))).toBe(false);
  });
});

describe('readAnswer', () => {
  it.each([
    ['ARTICLE_NOT_FOUND', 404, '{"error":"no such article"}', 100],
    ['ARTICLE_NOT_FOUND', 404, HTML, 2048],
    ['ARTICLE_NOT_FOUND', 404, '{"error":"no such article"}', 2049],
    ['QUERY_TOO_LONG', 404, HTML, 2049],
    ['QUERY_TOO_LONG', 400, '', 2049],
    ['QUERY_TOO_LONG', 414, '', 100],
    ['QUERY_TOO_LONG', 431, '', 100],
    ['HTTP_STATUS', 400, '', 2048],
    ['HTTP_STATUS', 500, '', 2049],
    ['RESPONSE_INVALID', 200, HTML, 100],
    ['RESPONSE_INVALID', 200, '{"error":"gone"}', 100],
    ['RESPONSE_INVALID', 200, '{"btg":[{"type":"top"', 100],
    ['RESPONSE_INVALID', 200, '', 100],
  ] as const)('is %s for %i %j with a query of %i bytes', (code, status, body, queryBytes) => {
    const read = () => readAnswer(OPERATIONS.getPartsList, response(status, body), queryBytes);
    expect(read).toThrow(coded(code));
  });

  it('distinguishes a cut block and a page, which may pass, from a complete one of the wrong shape', () => {
    const read = (body: string) => () => readAnswer(OPERATIONS.getBlock, response(200, body), 10);
    expect(read('{"N":"A","V":[0,0,')).toThrow(coded('RESPONSE_INVALID'));
    expect(read('{"V":5}')).toThrow(coded('BLOCK_INVALID'));
    expect(read(HTML)).toThrow(coded('RESPONSE_INVALID', /a page of HTML/));
  });

  it.each([
    ['getBlock', 'BLOCK_INVALID'],
    ['getPartsList', 'PARTS_LIST_INVALID'],
    ['getArticle', 'RESPONSE_INVALID'],
    ['getNodes', 'RESPONSE_INVALID'],
  ] as const)('of %s is invalid in Latin-1', (name, code) => {
    const bytes = Buffer.from('{"N":"Stühle","btg":[],"id":"ü","V":[],"A":[]}', 'latin1');
    const operation: Operation<unknown> = OPERATIONS[name];
    const read = () => readAnswer(operation, { ...response(200, ''), bytes }, 10);
    expect(read).toThrow(coded(code, 'expected text in UTF-8, received other bytes'));
  });
});

describe('errorText', () => {
  it.each([
    ['{"error":"no"}', 'no'],
    ['{"result":null,"error":"line one\\nline two"}', 'line one line two'],
    ['{"error":{"message":"inside"}}', 'inside'],
    ['{"error":null}', undefined],
    ['{"error":""}', undefined],
    ['{"V":[1,2]}', undefined],
    ['{"error":', undefined],
    ['error', undefined],
  ])('of %s is %j', (body, expected) => expect(errorText(utf8(body))).toBe(expected));

  it('is cut to a line', () => {
    expect(errorText(utf8(JSON.stringify({ error: 'x'.repeat(999) })))).toHaveLength(201);
  });
});
