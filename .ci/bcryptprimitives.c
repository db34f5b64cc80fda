/* bcryptprimitives.dll for wine, which has none before version 9: the one function in it that every Rust program for Windows
   asks for its random numbers, over the one with which wine makes them. `.ci/windows` builds it; nobody else needs it. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG count); /* advapi32; RtlGenRandom in its documentation */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count)
{
    return SystemFunction036(bytes, (ULONG)count);
}
