import { Box, type BoxProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import classes from './rows.module.css';

interface Props extends BoxProps, Omit<ComponentPropsWithoutRef<'ul'>, keyof BoxProps> {
  /** The order has a meaning. */
  ordered?: boolean;
}

/** A list whose items, `<li>`, have lines between them. */
export function Rows({ ordered = false, ...props }: Props) {
  return <Box component={ordered ? 'ol' : 'ul'} {...props} className={classes.rows} />;
}
