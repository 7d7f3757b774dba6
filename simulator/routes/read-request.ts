import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { Refusal } from '../refusals.ts';

/** An http or https URL, as the service requires of inputs. */
export const mediaUrl = z.url({ protocol: /^https?$/ });

/** A text that is not blank. */
export const spokenText = z.string().regex(/\S/u);

/** Parses a part of a request with a schema; throws the API's 400 if it does not match. Drops unknown members. */
export function readPart<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : `: ${issue.path.join('.')}`;
  throw new Refusal(400, 'ERR_MISSING_REQUIRED_FIELDS', `Invalid request body${where}`);
}

/** An optional request body; a missing one counts as an empty object. */
export function optionalBody({ body }: FastifyRequest): unknown {
  return body === undefined ? {} : body;
}

/** The `Idempotency-Key` of a request, or null. */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const value = request.headers['idempotency-key'];
  return typeof value === 'string' ? value : null;
}
