package chart

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Frame is one picture of an animation.
type Frame struct {
	Scene   *Scene
	Caption string
	Time    float64 // ns that it stands for: longer times are shown longer
}

// These are the shortest and the longest display of a frame, in ms; the whole animation lasts
// about animationSeconds.
const (
	leastFrame       = 350
	mostFrame        = 4000
	animationSeconds = 12
)

// Animation adds frames with a button and a slider. Without scripts, and in print, all frames
// are shown one below the other.
func (p *Page) Animation(frames []Frame) {
	total := each.Sum(frames, func(f Frame) float64 { return f.Time })
	p.parts = append(p.parts, func(b *bufio.Writer) {
		b.WriteString("<div class=\"animation\">\n<div class=\"controls\" hidden><button type=\"button\">Play</button>" +
			"<input type=\"range\" min=\"0\" value=\"0\" aria-label=\"step\"></div>\n")
		for _, f := range frames {
			wait := float64(mostFrame)
			if total > 0 {
				wait = min(max(f.Time/total*animationSeconds*1000, leastFrame), mostFrame)
			}
			fmt.Fprintf(b, "<figure class=\"frame\" data-ms=\"%.0f\"><figcaption>%s</figcaption>", wait, escape(f.Caption))
			f.Scene.svg(b, false)
			b.WriteString("</figure>\n")
		}
		b.WriteString("</div>\n<script>" + strings.TrimSpace(animationScript) + "</script>\n")
	})
}

const animationScript = `
(function(){
var box=document.currentScript.previousElementSibling,frames=[].slice.call(box.querySelectorAll('.frame')),
controls=box.querySelector('.controls'),button=controls.querySelector('button'),slider=controls.querySelector('input'),timer=null,at=0;
function show(i){at=i;slider.value=i;frames.forEach(function(f,k){f.hidden=k!==i;});}
function stop(){clearTimeout(timer);timer=null;button.textContent='Play';}
function next(){timer=setTimeout(function(){show((at+1)%frames.length);next();},+frames[at].dataset.ms);}
button.onclick=function(){if(timer){stop();}else{button.textContent='Pause';next();}};
slider.oninput=function(){stop();show(+slider.value);};
slider.max=frames.length-1;controls.hidden=false;show(0);
window.addEventListener('beforeprint',function(){frames.forEach(function(f){f.hidden=false;});});
window.addEventListener('afterprint',function(){show(at);});
})();
`
