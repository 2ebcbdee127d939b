// Package wire is the protocol between the ranks, the optical switch and the coordinator of an
// emulation. The driver of a real switch can speak it and take the software switch's place.
//
// # Frames
//
// A connection carries frames, all numbers big-endian:
//
//	offset  bytes
//	     0      2  magic "LP"
//	     2      1  version, 3
//	     3      1  kind
//	     4      4  length of the payload, at most MaxPayload
//	     8      4  CRC-32C of everything in the frame but these four bytes
//	    12      4  step, from 1
//	    16      4  transfer of the step
//	    20      2  route of the transfer
//	    22      2  hop: how many circuits the payload has crossed when it arrives
//	    24      2  flags: 1 = cut through (the receiver sends it on)
//	    26      2  place in its island of the rank it goes to, where it is sent into an island
//	    28      8  offset of the payload in the transfer
//	    36         payload
//
// Data frames use the fields from 12 on; other frames have zeros there and a JSON payload. Any
// other input is an *Error, after which the connection is unusable.
//
// # Who talks to whom
//
// A rank has one connection to the coordinator, and one to the switch for each of its
// ports. The switch has one to the coordinator. Ranks do not talk to one another.
//
// Every connection begins with a handshake that shows each side that the other knows the
// secret of the run, without sending it:
//
//	server  Challenge {nonce}
//	client  Hello {role, rank, port, nonce, plan, proof}
//	server  Welcome {proof}           or Refuse {reason}
//
// A proof is the HMAC-SHA256, under the secret, of the word "client" or "server", both
// nonces and the other fields of the Hello. Frames after that are not signed: the secret keeps
// out strangers and other runs, but does not protect against an attacker on the path.
//
// Between a rank and the coordinator:
//
//	coordinator  Config   what to run, where the switch is
//	rank         Ready    all ports are connected
//	coordinator  Step     send what the step has
//	coordinator  Connected  circuits of a stage are up, where steps do not wait for them
//	coordinator  Compute  in an iteration: be busy for some time
//	coordinator  Perform  in an iteration: carry out steps of a communication
//	rank         Beat     from time to time: alive, in this step, waiting for that peer
//	rank         Done     everything of the step, or of the job, was sent and has arrived
//	rank         Result   after the last step: how the check of its data went; in an iteration
//	                      after every communication
//	rank         Fault    something is wrong; ends the run
//	coordinator  Finish   the run has ended, or Abort, with the reason
//
// Between the switch and the coordinator:
//
//	coordinator  Config
//	switch       Ready      every port of every rank is connected
//	coordinator  Connect    the circuits from now on, and how long changed ports are dark
//	switch       Connected  they are up
//	coordinator  Expect     where a controller sets circuits: those that it will ask for, and how
//	                        long they take; answered by Expect. Connect then only asks whether
//	                        they are up
//	switch       Beat, Fault
//	coordinator  Finish
//	switch       Stats      bytes of every circuit
//
// Where a controller sets circuits, Ready says at which address the switch waits for it, in the
// protocol that Config has named: a switch with as many ingress and egress ports as ranks have
// optical ports, the transmit fibre of port p of rank u at ingress port u*ports + p + 1.
//
// Between a rank's port and the switch: Data frames. The switch passes a frame from a port to
// the port that is cross-connected with it at that time, no sooner than the circuit's rate and
// propagation allow.
package wire
