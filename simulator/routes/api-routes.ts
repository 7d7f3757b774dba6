import type { FastifyInstance } from 'fastify';
import type { Schema } from '../open-api-schemas.ts';
import type { Service } from '../service.ts';

/** The routes of one resource of the API. */
export interface ApiRoutes {
  /** Adds them to the server, below the API's path. */
  add(api: FastifyInstance, service: Service): void;
  /** Their section of the OpenAPI document, by path. */
  readonly paths: Readonly<Record<string, Schema>>;
}
