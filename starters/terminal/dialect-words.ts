import { dialectChoiceOf, type BatchSettings } from '../../contract/batch.ts';
import { dialectOf, type RowSpec } from '../../contract/row-kinds.ts';

/** `, --api-dialect legacy=20%` of a batch; nothing where all its rows speak v1. */
export function dialectWords(settings: Pick<BatchSettings, 'reading'>): string {
  const choice = dialectChoiceOf(settings);
  return choice === 'v1' ? '' : `, --api-dialect ${choice}`;
}

/** `, by the legacy paths of the API` of a row; nothing for v1. */
export function rowDialectWords(spec: Pick<RowSpec, 'dialect'>): string {
  const dialect = dialectOf(spec);
  return dialect === 'v1' ? '' : `, by the ${dialect} paths of the API`;
}
