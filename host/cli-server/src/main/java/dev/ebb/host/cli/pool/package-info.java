/**
 * {@code ebb pool} and {@code ebb segment}: sizes of the pool, its picture, migration and shared
 * segments.
 */
package dev.ebb.host.cli.pool;
