/** The queue of held requests. */
import { Module } from '@nestjs/common';

@Module({})
export class ApprovalsModule {}
