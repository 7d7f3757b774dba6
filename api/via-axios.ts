import type { AxiosAdapter, AxiosInstance, AxiosResponse } from 'axios';
import type { Exchange, HttpRequest, RawAnswer } from './exchange.ts';

/** axios, and empty headers for the answers that it passes through, because nobody reads them there. */
interface Client {
  readonly axios: AxiosInstance;
  readonly noHeaders: AxiosResponse['headers'];
}

let loading: Promise<Client> | undefined;

/**
 * Loads axios once. Call it as soon as paid requests are expected: it takes 8 ms of CPU (bundled), which fit into the time
 * of the first read. Rejects if axios cannot be loaded.
 */
export async function loadAxios(): Promise<Client> {
  try {
    return await (loading ??= load());
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function load(): Promise<Client> {
  const { default: axios, AxiosHeaders } = await import('axios');
  const client = axios.create();
  // Without the process-wide defaults of axios: a request sends only what it names, and merging nothing is cheap.
  for (const name of Object.keys(client.defaults)) Reflect.deleteProperty(client.defaults, name);
  return { axios: client, noHeaders: new AxiosHeaders() };
}

/** Runs an exchange as an axios adapter. Its cost, and why free requests do without it: docs/decisions/http.md. */
export async function viaAxios(
  { axios, noHeaders }: Client,
  { method, target, path }: HttpRequest,
  exchange: Exchange,
): Promise<RawAnswer> {
  // Do not give axios the headers: its errors contain what it knows, and the headers contain the token.
  const adapter: AxiosAdapter = async (config) => {
    const data = await exchange.run();
    return { data, status: data.message.statusCode ?? 0, statusText: '', headers: noHeaders, config };
  };
  const { data } = await axios.request<RawAnswer>({ method, url: target.origin + path, adapter });
  return data;
}
