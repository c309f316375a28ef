import { ApiProperty } from '@nestjs/swagger';

/** A person or thing that a record names. `id` is null if it was deleted; the name stays. */
export class Actor {
  @ApiProperty({ nullable: true, type: Number })
  id: number | null;

  @ApiProperty()
  name: string;
}
