import { get } from '../free-request.ts';
import { LEGACY_CLIENTS } from '../operations/legacy-clients.ts';
import type { DialectTable } from './dialect-table.ts';

const LIST_MODELS = '/api/open/list-models';
const DELETE_MODEL = '/api/open/delete-model';

/** The older paths, relative to the host. */
export const LEGACY: DialectTable<'legacy'> = {
  dialect: 'legacy',
  begin: 'host',
  operations: LEGACY_CLIENTS,
  // A POST is never sent there: it is a read too, one that takes a token from its body.
  profile: get('/api/open/profile'),
  updateProfile: null,
  voices: ({ page, pageSize }) => ({
    method: 'POST',
    path: LIST_MODELS,
    body: JSON.stringify({ modelType: 'all', includePersonal: true, page, pageSize }),
    name: LIST_MODELS,
  }),
  deleteVoice: (modelId) => ({
    method: 'POST',
    path: DELETE_MODEL,
    body: JSON.stringify({ modelId }),
    name: DELETE_MODEL,
    isChange: true,
  }),
  has402: false,
  searchesVoices: false,
};
