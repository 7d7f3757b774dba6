/** Path of the API on its host; every base address ends in it. */
export const API_PATH = '/api/open/v1';

/** Whether the host of a URL is this machine, as it is written. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
