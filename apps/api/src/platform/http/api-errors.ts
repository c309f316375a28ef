import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ErrorBody } from '#contracts';

/** Documents the error statuses of an endpoint. All have the same body. */
export const ApiErrors = (...statuses: number[]): ClassDecorator & MethodDecorator =>
  applyDecorators(
    ...statuses.map((status) => ApiResponse({ status, type: ErrorBody, description: STATUS_CODES[status] ?? '' })),
  );
