/** Documents as lines of text: formats of values, templates and tables. */
package dev.ebb.host.text;
