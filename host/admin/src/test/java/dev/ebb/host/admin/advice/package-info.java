/** Pools as documents and pictures. */
@NullMarked
package dev.ebb.host.admin.advice;

import org.jspecify.annotations.NullMarked;
