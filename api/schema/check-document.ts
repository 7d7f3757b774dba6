import { asObject, type JsonObject, member } from '../read-members.ts';
import { isErrorBody } from '../read-error-body.ts';
import type { ClientCall } from './client-calls.ts';
import { type ApiDocument, type Documented, keyOf } from './document.ts';
import type { Checked, Lack } from './lacks.ts';
import { resolve } from './references.ts';
import { MOST_PARTS, type Sample, samplesOf, type Walk } from './samples.ts';

/** Deepest nesting of the forms of a body. */
const DEEPEST = 8;

/** Compares a document with what the client asks of the API. `begin`: the path at which the paths of its calls begin. */
export async function checkDocument(
  document: ApiDocument,
  calls: readonly ClientCall[],
  begin: string,
): Promise<Checked> {
  const lacks: Lack[] = [];
  const open = new Set<string>();
  const used = new Set<string>();
  for (const call of calls) {
    const key = keyOf(call.method, begin + call.path);
    const documented = document.endpoints.get(key);
    const at = { endpoint: `${call.method} ${call.path}`, isRare: call.isRare };
    if (documented === undefined) {
      lacks.push({ type: 'endpoint', ...at });
      continue;
    }
    used.add(key);
    lacks.push(...lacksOfRequest(document.root, documented, call).map((lack) => ({ ...lack, ...at })));
    for (const [status, samples] of answersOf(document.root, documented)) {
      for (const { value, isOpen } of samples) {
        if (call.reads === undefined || isErrorBody(value) || (await call.reads(value))) continue;
        if (isOpen) open.add(at.endpoint);
        else lacks.push({ type: 'reply', status, has: Object.keys(asObject(value) ?? {}), ...at });
      }
    }
    if (call.reads !== undefined && answersOf(document.root, documented).length === 0 && !call.answersMedia)
      open.add(at.endpoint);
  }
  const unused = [...document.endpoints].filter(([key]) => !used.has(key)).map(([, { name }]) => name);
  return { lacks, open: [...open], unused };
}

type LackOfRequest = { readonly type: 'field' | 'required'; readonly field: string };

function lacksOfRequest(root: JsonObject, { parameters, requestBody }: Documented, call: ClientCall): LackOfRequest[] {
  const lacks: LackOfRequest[] = [];
  for (const parameter of parameters) {
    const name = String(member(parameter, 'name'));
    const isAsked = member(parameter, 'in') === 'query' && member(parameter, 'required') === true;
    if (isAsked && !call.asks.includes(name)) lacks.push({ type: 'required', field: name });
  }
  const body = fieldsOf({ root, left: MOST_PARTS }, schemaIn(requestBody), 0);
  if (body === undefined || call.sends.length === 0) return lacks;
  for (const { name, isNeeded } of call.sends) {
    if (!body.named.has(name) && (isNeeded || body.isClosed)) lacks.push({ type: 'field', field: name });
  }
  const sent = new Set(call.sends.map(({ name }) => name));
  for (const field of body.required) if (!sent.has(field)) lacks.push({ type: 'required', field });
  return lacks;
}

/** Members of a body, in any of its forms. */
interface Fields {
  readonly named: ReadonlySet<string>;
  /** Required in all forms. */
  readonly required: ReadonlySet<string>;
  /** True if no other member is allowed. */
  readonly isClosed: boolean;
}

function fieldsOf(walk: Walk, schema: unknown, depth: number): Fields | undefined {
  if (depth > DEEPEST || (walk.left -= 1) < 0) return undefined;
  const found = resolve(walk.root, schema);
  if (found === undefined) return undefined;
  const parts = (name: string): readonly Fields[] => {
    const list = member(found, name);
    return Array.isArray(list) ? list.flatMap((one) => fieldsOf(walk, one, depth + 1) ?? []) : [];
  };
  const all = parts('allOf');
  const any = [...parts('anyOf'), ...parts('oneOf')];
  const properties = Object.keys(asObject(member(found, 'properties')) ?? {});
  const listed = member(found, 'required');
  const own = Array.isArray(listed) ? listed.filter((name): name is string => typeof name === 'string') : [];
  const named = new Set([...properties, ...[...all, ...any].flatMap((one) => [...one.named])]);
  if (named.size === 0) return undefined;
  return {
    named,
    required: new Set([...own, ...all.flatMap((one) => [...one.required])]),
    isClosed: member(found, 'additionalProperties') === false,
  };
}

/** Samples of the JSON answers of success, by status. */
function answersOf(root: JsonObject, { responses }: Documented): readonly (readonly [string, readonly Sample[]])[] {
  return Object.entries(responses)
    .filter(([status]) => /^2(\d\d|XX)$/i.test(status))
    .flatMap(([status, response]) => {
      const schema = schemaIn(resolve(root, response), /json/i);
      return schema === undefined ? [] : [[status, samplesOf(root, schema)] as const];
    });
}

/** The schema of a body: of its JSON, else of its first form. */
function schemaIn(owner: JsonObject | undefined, only = /./): unknown {
  const content = Object.entries(asObject(member(owner, 'content')) ?? {});
  const chosen = content.find(([type]) => /json/i.test(type)) ?? content.find(([type]) => only.test(type));
  return member(asObject(chosen?.[1]), 'schema');
}
