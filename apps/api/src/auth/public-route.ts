import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { UnauthenticatedBodyGuard } from '../platform/http/request-body.js';

export const PUBLIC_ROUTE = 'publicRoute';

/** Marks a route as intentionally public. A test fails for routes that have neither this nor a guard. */
export const PublicRoute = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(PUBLIC_ROUTE, true), UseGuards(UnauthenticatedBodyGuard));
