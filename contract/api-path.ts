/** Path of the API on its host; every base address ends in it. */
export const API_PATH = '/api/open/v1';

/** Whether a URL's host is loopback, judged by its text alone. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
