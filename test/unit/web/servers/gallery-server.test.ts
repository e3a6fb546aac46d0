/** What `view` answers where a file cannot be read. */
import { expect, it } from 'vitest';
import { openGalleryServer } from '../../../../src/web/servers/gallery-server.ts';

it('names no path of this machine where a file cannot be read', async () => {
  const path = '/srv/output/gallery/index.html';
  const { url, close } = await openGalleryServer({
    ...{ host: '127.0.0.1', port: 0 },
    read: () => Promise.reject(new Error(`EACCES: permission denied, open '${path}'`)),
  });
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([500, 'the file cannot be read\n']);
  await close();
});
