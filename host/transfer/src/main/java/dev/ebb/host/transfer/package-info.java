/**
 * Moves values between the nodes of a cluster: frames, resume, checksums, limits and secrets.
 *
 * <p><b>Handshake.</b> The client sends {@code EBBT}, its version of the protocol and the oldest
 * one that it accepts (2 bytes each), and a nonce of 32 bytes. The server replies with the same.
 * Both use the lower of their versions, and close the connection if one of them does not accept it.
 * Then the client sends its proof of 32 bytes; the server sends 1 (accepted) or 2 (refused) and its
 * proof. A proof is HMAC-SHA256, keyed with the secret, of the role ({@code ebb transfer client} or
 * {@code ebb transfer server}) and the first 40 bytes of the client and of the server.
 *
 * <p><b>Frames.</b> All numbers are big-endian. A header of 24 bytes precedes each body: type,
 * flags, 2 zero bytes, length of the body (4), offset of a piece (8), CRC32C of the body (4),
 * CRC32C of the header so far (4). A node closes a connection with an invalid frame.
 *
 * <ol>
 *   <li>{@code FETCH}: version, offset, length (8 bytes each) and key. Flag 1: background; flag 2:
 *       exactly this version
 *   <li>{@code VALUE}: version, expiry in milliseconds since 1970, length (8 bytes each), length of
 *       the attachment (2), attachment of up to 256 bytes, context of up to 4 KiB; pieces follow
 *   <li>{@code PIECE}: up to 4 MiB of the value
 *   <li>{@code ABSENT}: the value does not exist or was removed
 *   <li>{@code CHANGED}: the value has another version than the requested one
 *   <li>{@code ERROR}: text
 *   <li>{@code MESSAGE}: a message of the cluster, up to 16 MiB
 *   <li>{@code REPLY}: its reply, up to 16 MiB
 * </ol>
 */
package dev.ebb.host.transfer;
