import { expect, it } from 'vitest';
import { s3Url } from '../../../../src/distribute/store/s3-client.ts';

const HOST = { endpoint: 'https://s3.eu-central-1.amazonaws.com', bucket: 'b', pathStyle: false };
const PATH = { endpoint: 'http://127.0.0.1:9000/s3', bucket: 'b', pathStyle: true };

it('has the bucket in its host or in its path', () => {
  const object = { key: 'run/a~1.glb' };
  expect(s3Url(HOST, object).href).toBe('https://b.s3.eu-central-1.amazonaws.com/run/a~1.glb');
  expect(s3Url(PATH, object).href).toBe('http://127.0.0.1:9000/s3/b/run/a~1.glb');
});

it('is that of the bucket without a key', () => {
  const query = { 'list-type': '2', prefix: 'run/a' };
  expect(s3Url(HOST, { query }).href).toBe(
    'https://b.s3.eu-central-1.amazonaws.com/?list-type=2&prefix=run%2Fa',
  );
  expect(s3Url(PATH, { query }).href).toBe('http://127.0.0.1:9000/s3/b?list-type=2&prefix=run%2Fa');
});
