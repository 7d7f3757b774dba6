import type { SpeechApi } from '../api/speech-api.ts';
import type { Dialect } from '../contract/dialects.ts';
import { dialectOf, type RowSpec } from '../contract/row-kinds.ts';
import type { Dependencies } from './dependencies.ts';

/** The client in a dialect; all of them share their connections. */
export function apiForDialect({ api }: Pick<Dependencies, 'api'>, dialect: Dialect): SpeechApi {
  return api.dialect === dialect ? api : api.speaking(dialect);
}

/** The client in the dialect of a row. */
export function apiForRow(
  deps: Pick<Dependencies, 'api'>,
  row: { readonly spec: Pick<RowSpec, 'dialect'> },
): SpeechApi {
  return apiForDialect(deps, dialectOf(row.spec));
}
