/** Cache policies of published papers, one file per paper. */
package dev.ebb.plugin.classic;
