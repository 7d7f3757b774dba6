export interface PrometheusSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface PrometheusRule {
  readonly name: string;
  readonly query: string;
  readonly health: string;
  readonly lastError?: string;
}

export function findPrometheus(): string;
export function startPrometheus(
  ports: readonly number[],
  rules?: readonly string[],
): Promise<{
  query(expression: string): Promise<readonly PrometheusSeries[]>;
  rules(): Promise<readonly PrometheusRule[]>;
  stop(): Promise<void>;
}>;
