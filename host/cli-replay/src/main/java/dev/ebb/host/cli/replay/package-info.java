/**
 * {@code ebb replay}, {@code tune}, {@code fit} and {@code tokens}: evaluation of policies on
 * traces.
 */
package dev.ebb.host.cli.replay;
