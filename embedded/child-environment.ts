/** The environment for programs that have no business with the API's token. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(VOXBATCH|TEMPORAL)_/.test(name)));
}
