import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { Refusal } from '../refusals.ts';

/** A URL of http or https, as the service demands it of inputs. */
export const mediaUrl = z.url({ protocol: /^https?$/ });

/** A text with something to say. */
export const spokenText = z.string().regex(/\S/u);

/** Reads a request part with a schema; throws the API's 400 where it does not fit. Unknown members are left out. */
export function readPart<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : `: ${issue.path.join('.')}`;
  throw new Refusal(400, 'ERR_MISSING_REQUIRED_FIELDS', `Invalid request body${where}`);
}

/** The `Idempotency-Key` of a request, or null. */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const value = request.headers['idempotency-key'];
  return typeof value === 'string' ? value : null;
}
