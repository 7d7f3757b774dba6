/** See postgres-server.mjs. */
export function startPostgres(): Promise<{ readonly url: string; readonly stop: () => void }>;
