/** Which addresses are safe for passwords, tokens and prices. */

/** Whether a host is this machine: data sent to it crosses no network. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || /^\[?::1\]?$/.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Whether data sent to an address cannot be read on the network.
 *
 * @example `isPrivate('https://shop.example'); // → true, as of 'http://127.0.0.1:4810'`
 */
export function isPrivate(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' || isLoopback(url?.hostname ?? '');
}
