import type { JsonValue } from '../../contract/row-kinds.ts';
import type { PaidRequest } from '../speech-api.ts';
import { bodyOf, need } from './operation-client.ts';

/** Fields of a speech request. Both speech operations take the same; the API ignores those that an engine lacks. */
export function speechBody(request: PaidRequest): Readonly<Record<string, JsonValue>> {
  const { spec, operation } = request;
  return bodyOf(
    {
      text: need(spec.text, operation, 'a text'),
      voiceId: need(spec.voice, operation, 'a voice'),
      engineModelId: spec.engine,
      format: spec.format,
      speed: spec.speed,
      language: spec.language,
    },
    request,
  );
}
