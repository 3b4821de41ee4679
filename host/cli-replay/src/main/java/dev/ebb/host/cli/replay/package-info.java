/**
 * {@code ebb replay}, {@code tune}, {@code fit} and {@code tokens}: evaluation of policies on
 * traces.
 */
@NullMarked
package dev.ebb.host.cli.replay;

import org.jspecify.annotations.NullMarked;
