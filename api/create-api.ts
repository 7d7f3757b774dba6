import type { Dialect } from '../contract/dialects.ts';
import { type ApiOptions, type Connection, createConnection } from './connection.ts';
import { deleteVoice, listVoices } from './voices/list-voices.ts';
import { download } from './download.ts';
import { listJobs, readPaidJob } from './read-paid-job.ts';
import { readProfile, updateProfile } from './account/read-profile.ts';
import { sendPaid } from './send-paid.ts';
import type { SpeechApi } from './speech-api.ts';

/**
 * Creates the client of the service. Makes no request. Throws an Error for settings that cannot work; it never repeats
 * the token. Each method makes exactly one request per page or call.
 */
export function createSpeechApi(options: ApiOptions): SpeechApi {
  const connection = createConnection(options);
  return speechApi(connection, new Map());
}

/** Creates the client in the connection's dialect. `known`: clients of the same connection by dialect, for reuse. */
function speechApi(connection: Connection, known: Map<Dialect, SpeechApi>): SpeechApi {
  const api: SpeechApi = {
    baseUrl: connection.baseUrl,
    dialect: connection.dialect.dialect,
    speaking: (dialect) => known.get(dialect) ?? speechApi(connection.speaking(dialect), known),
    ...(connection.proxy === undefined ? {} : { proxy: connection.proxy.name }),
    send: (request, sendOptions) => sendPaid(connection, request, sendOptions),
    readJob: (operation, jobId, signal, spec) => readPaidJob(connection, operation, jobId, signal, spec),
    listJobs: (operation, page, limit, signal) => listJobs(connection, operation, page, limit, signal),
    readProfile: (signal) => readProfile(connection, signal),
    updateProfile: (fields, signal) => updateProfile(connection, fields, signal),
    checkSchema: async () => (await import('./schema/check-schema.ts')).checkSchema(connection),
    listVoices: (filter = {}, signal) => listVoices(connection, filter, signal),
    deleteVoice: (voiceId, signal) => deleteVoice(connection, voiceId, signal),
    download: (url, receive, signal) => download(connection, url, receive, signal),
    close: () => {
      connection.close();
    },
  };
  known.set(api.dialect, api);
  return api;
}
