"""What every test of spoiled input asks of an error."""

import base64
import zlib


def sentence(error):
    """What was raised is one sentence of a length that one reads."""
    text = str(error.value)
    assert "\n" not in text
    assert text[-1] in ".?"
    assert len(text) < 1500
    return text


PARQUET_OF_MINUS_VALUES = zlib.decompress(
    base64.b85decode(
        "c-oy*&2G~`5MFN_6Hp`y>aJ`l2Me`UDpjpxnkGRJ(&n$EO&|_LZMoTXoJMsUREH+%0SS%>_0%&5gm?y?f+yg>190SkII-hwQ"
        "iOyAtm2uSzi(zf%W1K8hR8%GOAW3NLJLI+O%E2DAaa|~RT3u)L?KFQ6QvWgn3|Yn^K)GXw=799Ok^#Klm$)2eUD%&)3*}+AQ"
        "?3y@yBxBW{sGut2Yt&91t!^YRgE`^6~z#dmPF^KOA1`2HoTC$&jNe)T6#}iHn;!ExD@Xa1fa+5>>2nV+laUASSaVWU+*W($Y"
        "kg#=ni76k|&V(bQ-3g>fMppJOn!$k%RR?P_j*z2ZruA}l%lalwIwW6Yn4$Vkx|Iix7MU1H*k>xE1ja3xp^9>}MI!H_6?p=As"
        "tqAXUYED%hTMv>=bWi?`iU__EUYsSnnYNP-LeA0oisH~;5qVZKq{l}}J?-jC0-^Iy&Wc<LXe|{_Uqe3YC5+`?%@g|=78<y!O"
        "D0!vu68fDd843D2wg^0_N!D&Z+PxPZ9CnW#^;>Kmj+HMl#;W{b`7>^hZ8o(d*A8PLD@WR9Zi~l9QM>}81UWlBHmlD<eHP;7C"
        "fE*$Ef8!!l5P7jD-C!Zw@XKW+XSNqP)vx{6AqH^&6}_u=ql*))R}8mhMDGhJ;&xnCBIW0`?gu@v^!p_a}-qU&S=8sr?LU7&h"
        "R1}zE1(>ooDTXzsh#bp?`$BKjLB=<|)*p(L_Botl1HS5akizZ_Vdnb+PZPe+cm?v=x|7cg@JVF8G{M!1>y12ku^Tp8p7(<zM"
        ")->k)pn$L9oXPy19vmjd9KSFG^TZJ4htP@G+xA@yNv5ICoyo_;nN9u7`c^t0}1*dLte)>>xG)YI<se&FdjzhGLfch~nlE9d)"
        "p%gbz7xx8Z*9IKG^eap`|U9VuRXhr^&On>NQ451ePU;GKBwf%k"
    )
)

SPSS_WITH_A_NAME_TWICE = zlib.decompress(
    base64.b85decode(
        "c-m8O^D%PJP}Wok4hRlbaB&QARB-e3aaGV&$S5f(D7MnqPtPpLC{5B!&d=2k&#X!;O7Trh)(=WeObIS2EKy)$U|?WjKmb+-1"
        "_hh|C=XK4fux>+gAt7V9DQ9uN|+c>0TTx+7(2Ryr4<H)enw;kjErC$>>8nfPrtK&a0p1A9Vo^O4Kt8CM3B_}2LeW@`5<#%{$"
        "*fbM^eiSRrCM<`~Oh7{vVXj4mFDr5(f;SA#S=BAVF@Z0X#7OBKsYpK>>$2*m7PdTN#K!fn=MPn48K83=Z4G^i)ouw{444D>y"
        ";kvrWz~E&*u~fEs}uR;*C^IWvR~NG&SP&oeN9@Jt+h5lIAD-VnmGc5p+MZ%}c7${RuC9Z~f+7{cU@A$%89{Riw|@+J`d9%%Y"
        "q900+VYX|"
    )
)
