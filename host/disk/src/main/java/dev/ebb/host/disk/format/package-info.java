/** The format of a log on a disk: regions, records, and their encryption. */
@NullMarked
package dev.ebb.host.disk.format;

import org.jspecify.annotations.NullMarked;
