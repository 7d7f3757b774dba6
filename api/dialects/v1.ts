import { defined } from '../../contract/defined.ts';
import { get } from '../free-request.ts';
import { V1_CLIENTS } from '../operations/clients.ts';
import type { DialectTable } from './dialect-table.ts';

/** The current paths, relative to the base address. */
export const V1: DialectTable<'v1'> = {
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
