import type { SpeechApi } from '../api/speech-api.ts';
import type { Dialect } from '../contract/dialects.ts';
import { dialectOf, type RowSpec } from '../contract/row-kinds.ts';
import type { Dependencies } from './dependencies.ts';

/** Returns the API client for a dialect (one of the API's two sets of paths). All clients share their connections. */
export function apiForDialect({ api }: Pick<Dependencies, 'api'>, dialect: Dialect): SpeechApi {
  return api.dialect === dialect ? api : api.speaking(dialect);
}

/** Returns the API client for the dialect of a row. */
export function apiForRow(
  deps: Pick<Dependencies, 'api'>,
  row: { readonly spec: Pick<RowSpec, 'dialect'> },
): SpeechApi {
  return apiForDialect(deps, dialectOf(row.spec));
}
