import ts from 'typescript';
import { fileURLToPath } from 'node:url';
import { snakeName } from '../../contract/snake-case.ts';
import { pathOf } from './pages.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The JSON Schemas of what `--json` prints, by file below `schemas/`, made from the types in `client/views.ts`. */
export function viewSchemas(): Readonly<Record<string, Schema>> {
  const file = pathOf('client/views.ts');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(pathOf('tsconfig.json'), (path) => ts.sys.readFile(path)).config,
    ts.sys,
    pathOf('.'),
  );
  const program = ts.createProgram([file], { ...options, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const views = source && checker.getSymbolAtLocation(source)?.exports?.get(ts.escapeLeadingUnderscores('Views'));
  if (views === undefined) throw new Error('client/views.ts has no Views.');
  const members = checker.getDeclaredTypeOfSymbol(views).getProperties();
  return Object.fromEntries(
    members.map((member) => [
      `views/${member.name}.schema.json`,
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: `voxbatch ${member.name}`,
        ...new SchemaMaker(checker).member(member),
      },
    ]),
  );
}

/** Makes a JSON Schema from a type of TypeScript, with names as `snakeCase` prints them. */
class SchemaMaker {
  readonly #checker: ts.TypeChecker;
  /** The names that lead to the type at hand. */
  readonly #path: string[] = [];

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** A member of an object, with what its comment says. */
  member(symbol: ts.Symbol): Schema {
    this.#path.push(symbol.name);
    const description = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    const schema = this.#of(this.#checker.getTypeOfSymbol(symbol));
    this.#path.pop();
    return { ...(description === '' ? {} : { description: description.replaceAll('\n', ' ') }), ...schema };
  }

  #of(type: ts.Type): Schema {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (type.isUnion()) return this.#union(type.types);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: this.#checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    // `string & {}`, and names made of several parts.
    if (this.#checker.isTypeAssignableTo(type, this.#checker.getStringType())) return { type: 'string' };
    if (this.#checker.isTypeAssignableTo(type, this.#checker.getNumberType())) return { type: 'number' };
    return this.#object(type);
  }

  #union(types: readonly ts.Type[]): Schema {
    const schemas = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined)).map((type) => this.#of(type));
    const values = schemas.flatMap((schema) => ('const' in schema ? [schema['const']] : []));
    const isBoolean = values.includes(true) && values.includes(false);
    const words = values.filter((value) => !isBoolean || typeof value !== 'boolean');
    const simple = [
      ...schemas.flatMap(({ type, ...rest }) => (type !== undefined && isEmpty(rest) ? [type] : [])),
      ...(isBoolean ? ['boolean'] : []),
    ];
    const others = schemas.filter(({ type, ...rest }) => !('const' in rest) && !(type !== undefined && isEmpty(rest)));
    const parts = [
      ...(words.length === 0 ? [] : [{ enum: words }]),
      ...(simple.length === 0 ? [] : [{ type: simple.length === 1 ? simple[0] : simple }]),
      ...others,
    ];
    const [only, more] = parts;
    if (only === undefined) throw new Error(`${this.#here()}: a type without values`);
    return more === undefined ? only : { anyOf: parts };
  }

  #object(type: ts.Type): Schema {
    const checker = this.#checker;
    const name = type.getSymbol()?.name ?? '';
    const args = checker.getTypeArguments(type as ts.TypeReference);
    if (checker.isTupleType(type))
      return { type: 'array', prefixItems: args.map((one) => this.#of(one)), items: false, minItems: args.length };
    const [first, second] = args;
    if (checker.isArrayType(type) && first !== undefined) return { type: 'array', items: this.#of(first) };
    if (name === 'Date') return { type: 'string', format: 'date-time' };
    if (/^(Readonly)?Map$/.test(name) && second !== undefined)
      return { type: 'object', additionalProperties: this.#of(second) };
    // Their names would be turned to snake_case, and they are data.
    if (checker.getIndexInfosOfType(type).length > 0) throw new Error(`${this.#here()}: use a Map`);
    const members = checker.getPropertiesOfType(type);
    return {
      type: 'object',
      properties: Object.fromEntries(members.map((member) => [snakeName(member.name), this.member(member)])),
      required: members.filter((member) => !this.#isOptional(member)).map((member) => snakeName(member.name)),
      additionalProperties: false,
    };
  }

  /** JSON leaves out what is undefined. */
  #isOptional(member: ts.Symbol): boolean {
    const type = this.#checker.getTypeOfSymbol(member);
    const isUndefined = (one: ts.Type): boolean => (one.flags & ts.TypeFlags.Undefined) !== 0;
    return (member.flags & ts.SymbolFlags.Optional) !== 0 || (type.isUnion() ? type.types : [type]).some(isUndefined);
  }

  #here(): string {
    return this.#path.join('.');
  }
}

function isEmpty(rest: object): boolean {
  return Object.keys(rest).length === 0;
}

// The compiler is loaded slowly inside Jest: a test runs this file.
if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(JSON.stringify(viewSchemas()));
