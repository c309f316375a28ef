import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { errors } from '../errors.js';

/**
 * Keeps the charge of a large body until the handler is done, also if the client hangs up before. If it has hung up
 * before the handler begins, nothing counts the body any more, so the handler does not begin.
 */
@Injectable()
export class BodyInUse implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.res?.closed) throw errors.invalid('The client closed the connection before the work began');
    const work = lastValueFrom(next.handle(), { defaultValue: undefined });
    request.work = work;
    return from(work);
  }
}
