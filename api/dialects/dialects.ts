import type { Dialect } from '../../contract/dialects.ts';
import type { DialectTable } from './dialect-table.ts';
import { defined } from '../../contract/defined.ts';
import { get } from '../free-request.ts';
import { V1_CLIENTS, LEGACY_CLIENTS } from '../operations/clients.ts';

/** The current paths, relative to the base address. */
const V1: DialectTable<'v1'> = {
  dialect: 'v1',
  begin: 'base',
  operations: V1_CLIENTS,
  profile: get('/profile'),
  updateProfile: { method: 'POST', path: '/profile', name: '/profile', isChange: true },
  // The contract pages by `limit` and `offset` but answers with `page` and `pageSize`, and public clients send those.
  voices: ({ page, pageSize, offset, search, provider }) =>
    get('/voices', {
      limit: String(pageSize),
      offset: String(offset),
      page: String(page),
      pageSize: String(pageSize),
      includePersonal: 'true',
      ...defined({ search, provider }),
    }),
  deleteVoice: (voiceId) => ({
    method: 'DELETE',
    path: `/voices/${encodeURIComponent(voiceId)}`,
    name: '/voices/{voiceId}',
    isChange: true,
  }),
  has402: true,
  searchesVoices: true,
};

const LIST_MODELS = '/api/open/list-models';
const DELETE_MODEL = '/api/open/delete-model';

/** The older paths, relative to the host. */
const LEGACY: DialectTable<'legacy'> = {
  dialect: 'legacy',
  begin: 'host',
  operations: LEGACY_CLIENTS,
  // POST is never used: it is a read as well, but takes the token from the body.
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

/** The table of each dialect. */
export const DIALECT_TABLES: { readonly [D in Dialect]: DialectTable<D> } = { v1: V1, legacy: LEGACY };
