/** Servers of tests on this machine. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lets a server listen where the system finds a place; returns where, and what ends it with every connection. */
export async function listening(server: Server): Promise<{
  port: number;
  origin: string;
  close(): Promise<void>;
}> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, origin: `http://127.0.0.1:${port}`, close };
}
