import { RESTART_AFTER_S, STOP_TIMEOUT_S, type Service } from './service.ts';

/**
 * A property list for launchd. It has no file of the environment, so a shell reads that and then becomes `up`: signals
 * reach it, and no shell is left.
 */
export function launchdPlist(service: Service): string {
  const { name, voxbatch, workingDirectory, environment, environmentFile, needsFile, log } = service;
  const read = needsFile ? '. "$0"' : 'if [ -r "$0" ]; then . "$0"; fi';
  const program = ['/bin/sh', '-c', `set -a; ${read}; set +a; exec "$@"`, environmentFile, ...voxbatch, 'up'];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    ...entry('Label', string(name)),
    ...entry('ProgramArguments', ['<array>', ...program.map((word) => `  ${string(word)}`), '</array>']),
    ...entry('WorkingDirectory', string(workingDirectory)),
    ...entry('EnvironmentVariables', ['<dict>', ...Object.entries(environment).flatMap(variable), '</dict>']),
    ...entry('RunAtLoad', '<true/>'),
    ...entry('KeepAlive', '<true/>'),
    ...entry('ThrottleInterval', `<integer>${String(RESTART_AFTER_S)}</integer>`),
    ...entry('ExitTimeOut', `<integer>${String(STOP_TIMEOUT_S)}</integer>`),
    ...entry('StandardOutPath', string(log)),
    ...entry('StandardErrorPath', string(log)),
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

function entry(key: string, value: string | readonly string[]): readonly string[] {
  return [`<key>${escaped(key)}</key>`, ...[value].flat()].map((line) => `  ${line}`);
}

function variable([name, value]: readonly [string, string]): readonly string[] {
  return [`  <key>${escaped(name)}</key>`, `  ${string(value)}`];
}

function string(text: string): string {
  return `<string>${escaped(text)}</string>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
