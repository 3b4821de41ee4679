/** The format of a log on a disk: regions, records, and their encryption. */
package dev.ebb.host.disk.format;
